import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const place = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** The source is written for React; Preact runs it, at a fifth of the size. */
export default defineConfig({
  resolve: {
    alias: {
      '@florin/client': place('../../sdk/src/index.ts'),
      'react-dom/client': 'preact/compat/client',
      'react/jsx-runtime': 'preact/jsx-runtime',
      react: 'preact/compat',
    },
  },
  // Independent of the environment: tests run with another NODE_ENV, and would build file names and lines into every
  // element.
  mode: 'production',
  define: { 'process.env.NODE_ENV': '"production"' },
  esbuild: { jsx: 'automatic', jsxImportSource: 'react', jsxDev: false },
  build: {
    target: 'es2022',
    cssCodeSplit: false,
    // Every browser that runs this supports modulepreload.
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
});
