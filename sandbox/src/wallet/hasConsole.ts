import { existsSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The hosts of the console's URL. Browsers resolve `console.localhost` themselves, and keep its cookies apart from those
 * of the wallet on 127.0.0.1.
 */
export const CONSOLE_HOSTS = ['console.localhost', '127.0.0.1', 'localhost'] as const;

/** Whether this checkout has the page of the operator console. */
export const hasConsole = (root: string): boolean => existsSync(join(root, 'web/console/index.html'));
