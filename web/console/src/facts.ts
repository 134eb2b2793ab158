import type { ConsoleFacts } from './contract/session.ts';

export const facts = JSON.parse(document.getElementById('facts')!.textContent!) as ConsoleFacts;
