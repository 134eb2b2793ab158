import type { Reference } from './describeServed.ts';
import { escapeHtml } from './escapeHtml.ts';
import { guides } from './guides.ts';
import type { Page } from './page.ts';
import { renderHtml } from './renderHtml.ts';

const APIS = {
  web3: {
    title: 'Web3 API',
    about: 'For services: send USDC to an address on a blockchain, follow a payment, show a wallet at once.',
  },
  backend: {
    title: 'Backend API',
    about: 'For apps: log in, choose a username, pay people by username, see what happened.',
  },
} as const;

/** What `/` shows to a browser. */
export function renderLanding(name: string, { isOpen, blockchains, urls }: Reference): Page {
  const here = name === 'web3' ? 'web3' : 'backend';
  const other = here === 'web3' ? 'backend' : 'web3';
  const elsewhere = urls[other];
  const where = isOpen
    ? 'This is a sandbox: play money, local blockchains, and no credentials needed.'
    : 'Calls need a credential.';
  return renderHtml(
    `Florin ${APIS[here].title}`,
    `<h1>Florin ${APIS[here].title}</h1>
<p class="lead">USDC payments: people pay each other by username, at once; services pay any address on a blockchain,
exactly once. ${where}${blockchains.length > 0 ? ` Blockchains: ${escapeHtml(blockchains.join(', '))}.` : ''}</p>
<h2>References</h2>
<ul class="cards">
${renderCard('/docs', `${APIS[here].title} (here)`, APIS[here].about)}
${elsewhere ? renderCard(`${elsewhere}/docs`, APIS[other].title, APIS[other].about) : ''}
</ul>
<h2>Guides</h2>
<ul class="cards">
${guides.map(({ slug, title, about }) => renderCard(`/guides/${slug}`, title, about)).join('\n')}
</ul>
<h2>More</h2>
<ul class="cards">
${renderCard('/errors', 'Errors', 'Every code: what it means, and what to do.')}
${renderCard('/openapi.json', 'OpenAPI document', 'The contract, for generators and other tools.')}
</ul>
${elsewhere ? '' : `<p class="lead">The ${APIS[other].title} has an address of its own, which this server was not told.</p>`}`,
  );
}

const renderCard = (href: string, title: string, about: string): string =>
  `<li><a href="${escapeHtml(href)}"><b>${escapeHtml(title)}</b>${escapeHtml(about)}</a></li>`;
