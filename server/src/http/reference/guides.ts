import { readFileSync } from 'node:fs';
import { escapeHtml } from './escapeHtml.ts';
import type { Page } from './page.ts';
import { renderHtml } from './renderHtml.ts';
import { renderMarkdown } from './renderMarkdown.ts';

interface Guide {
  readonly slug: string;
  readonly title: string;
  /** Its first paragraph. */
  readonly about: string;
  readonly text: string;
}

/** In reading order. */
const SLUGS = ['first-payment', 'authentication', 'amounts', 'repeating-calls', 'events', 'webhooks', 'payouts'];

export const guides: readonly Guide[] = SLUGS.map((slug) => {
  const text = readFileSync(new URL(`../../../../docs/guides/${slug}.md`, import.meta.url), 'utf8');
  const [, title = slug, about = ''] = /^# (.+)\n\n([^\n]+(?:\n[^\n]+)*)/.exec(text) ?? [];
  return { slug, title, about: about.replaceAll('\n', ' '), text };
});

/** `values` replace what the text shows, as in the examples of the document. */
export function findGuide(slug: string, values: Readonly<Record<string, string>>): Page | undefined {
  const guide = guides.find((one) => one.slug === slug);
  if (!guide) return undefined;
  const text = Object.entries(values).reduce((done, [shown, value]) => done.replaceAll(shown, value), guide.text);
  return renderHtml(guide.title, renderMarkdown(text));
}

export function renderGuideIndex(): Page {
  const cards = guides.map(
    ({ slug, title, about }) =>
      `<li><a href="/guides/${slug}"><b>${escapeHtml(title)}</b>${escapeHtml(about)}</a></li>`,
  );
  return renderHtml('Guides', `<h1>Guides</h1>\n<ul class="cards">\n${cards.join('\n')}\n</ul>`);
}
