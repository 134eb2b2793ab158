import type { Reference } from '../describeServed.ts';
import { escapeHtml } from '../escapeHtml.ts';
import type { Page } from '../page.ts';
import { renderParts } from './chapterPages.ts';
import { API_TITLES } from './operations.ts';
import { renderCard, renderPage } from './renderPage.ts';

const ABOUT = {
  web3: 'For services: send USDC to an address on a blockchain, follow a payment, show a wallet in one call.',
  backend: 'For apps: log in, choose a username, pay people by username, read the history.',
};

/** The page `/` for browsers. */
export function renderLanding(name: string, { isOpen, blockchains, urls }: Reference): Page {
  const here = name === 'web3' ? 'web3' : 'backend';
  const other = here === 'web3' ? 'backend' : 'web3';
  const otherUrl = urls[other];
  const where = isOpen
    ? 'This is a sandbox: play money, local blockchains, and no credentials needed.'
    : 'Calls need a credential.';
  const title = `Florin ${API_TITLES[here]}`;
  return renderPage(
    { name, urls },
    {
      title,
      href: '/',
      html: `<h1>${title}</h1>
<p class="lead">USDC payments: people pay each other by username, instantly; services pay any address on a blockchain,
exactly once. ${where}${blockchains.length > 0 ? ` Blockchains: ${escapeHtml(blockchains.join(', '))}.` : ''}</p>
<h2>References</h2>
<ul class="cards">
${renderCard('/docs', `${API_TITLES[here]} (here)`, ABOUT[here])}
${otherUrl ? renderCard(`${otherUrl}/docs`, API_TITLES[other], ABOUT[other]) : ''}
${renderCard('/operations', 'All operations', 'Both APIs on one page, to read and to search.')}
${renderCard('/errors', 'Errors', 'Every code: what it means, and what to do.')}
${renderCard('/openapi.json', 'OpenAPI document', 'The contract, for generators and other tools.')}
</ul>
${otherUrl ? '' : `<p class="lead">The ${API_TITLES[other]} has its own address, which is not configured on this server.</p>`}
${renderParts((part) => part !== 'Operate')}
<h2>Run it</h2>
<ul class="cards">
${renderCard('/operating', 'Operate', 'For the people who run the service: database, signer, nodes, alerts, upgrades, restores.')}
${renderCard('/decisions', 'Decisions', 'Each decision with its reasons and the alternatives that were rejected.')}
</ul>`,
    },
  );
}
