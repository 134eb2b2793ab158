import { expect, it } from 'vitest';
import { escapeHtml } from './escapeHtml.ts';

const PRINTABLE = Array.from({ length: 95 }, (_, i) => String.fromCharCode(32 + i)).join('');

it('leaves no character that begins or ends markup, an entity or an attribute, and loses none', () => {
  const escaped = escapeHtml(PRINTABLE + PRINTABLE);
  expect(escaped.replaceAll(/&(?:amp|lt|gt|quot|#39);/g, '')).not.toMatch(/[&<>"']/);
  const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };
  expect(escaped.replaceAll(/&([^;]+);/g, (_, name: string) => entities[name] ?? '?')).toBe(PRINTABLE + PRINTABLE);
});
