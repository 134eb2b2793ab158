import { defineConfig, mergeConfig } from 'vite';
import wallet from '../wallet/vite.config.ts';

/** Built as the wallet is, whose parts the console shares. */
export default mergeConfig(wallet, defineConfig({}));
