import type { WalletFacts } from '../../../server/src/http/wallet/walletFacts.ts';

export const facts = JSON.parse(document.getElementById('facts')!.textContent!) as WalletFacts;
