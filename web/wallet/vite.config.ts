import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const place = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** The source is written for React; Preact is what runs it, in a fifth of the bytes. */
export default defineConfig({
  resolve: {
    alias: {
      '@florin/client': place('../../sdk/src/index.ts'),
      'react-dom/client': 'preact/compat/client',
      'react/jsx-runtime': 'preact/jsx-runtime',
      react: 'preact/compat',
    },
  },
  // Whoever builds it: tests run with another NODE_ENV, and would build names of files and lines into every element.
  mode: 'production',
  define: { 'process.env.NODE_ENV': '"production"' },
  esbuild: { jsx: 'automatic', jsxImportSource: 'react', jsxDev: false },
  build: {
    target: 'es2022',
    cssCodeSplit: false,
    // Every browser that runs this knows modulepreload.
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
});
