import { createRoot } from 'react-dom/client';
import { App } from './App.tsx';
import { facts } from './facts.ts';
import { setServiceName } from './money/describePayment.ts';
import { seedOverview } from './reads.ts';
import { openSession } from './session.ts';
import { openLanguage } from './text/text.ts';
import { openTheme } from './theme.ts';

openTheme();
setServiceName(facts.name);
// The page already shows a skeleton, which stays until there is something to show.
const opening = Promise.all([openSession(seedOverview), openLanguage()]);
void opening.then(() => createRoot(document.getElementById('root')!).render(<App />));

/** The page's policy accepts a worker's URL only from this Trusted Types policy, which allows exactly one URL. */
interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL(url: string): string }): { createScriptURL(url: string): string };
}

async function installWorker(): Promise<void> {
  const { trustedTypes } = window as unknown as { trustedTypes?: TrustedTypes };
  const policy = trustedTypes?.createPolicy('florin', {
    createScriptURL: (url) => {
      if (url !== '/sw.js') throw new TypeError('not a worker of this wallet');
      return url;
    },
  });
  await navigator.serviceWorker.register(policy?.createScriptURL('/sw.js') ?? '/sw.js');
}

// After the first screen: the worker is for the next visit.
void opening.then(() => {
  if ('serviceWorker' in navigator && location.pathname !== '/verify')
    setTimeout(() => void installWorker().catch(() => {}), 3_000);
});
document.title = facts.name;
