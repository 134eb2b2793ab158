const PATHS = {
  home: 'M4 11.5 12 5l8 6.5V19a1 1 0 0 1-1 1h-4.5v-5h-5v5H5a1 1 0 0 1-1-1z',
  send: 'M7 17 17 7M9 7h8v8',
  receive: 'M17 7 7 17M15 17H7V9',
  ask: 'M5 6h14v9H10l-4 4v-4H5zM12 8.2v4.6M10.4 9.6h2.4M11.2 11.4h2.4',
  bell: 'M6 16h12l-1.5-2.5V10a4.5 4.5 0 0 0-9 0v3.5zM10.5 19h3',
  settings:
    'M12 15a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM19 12a7 7 0 0 0-.1-1.2l2-1.6-2-3.4-2.4 1a7 7 0 0 0-2-1.2L14 3h-4l-.5 2.6a7 7 0 0 0-2 1.2l-2.4-1-2 3.4 2 1.6a7 7 0 0 0 0 2.4l-2 1.6 2 3.4 2.4-1a7 7 0 0 0 2 1.2L10 21h4l.5-2.6a7 7 0 0 0 2-1.2l2.4 1 2-3.4-2-1.6c.1-.4.1-.8.1-1.2z',
  back: 'M15 5l-7 7 7 7',
  next: 'M9 5l7 7-7 7',
  check: 'M5 12.5l4.5 4.5L19 7.5',
  clock: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM12 7.5V12l3 2',
  cross: 'M6 6l12 12M18 6L6 18',
  copy: 'M9 9h10v11H9zM5 15V4h10',
  share: 'M12 15V4M8 7.5 12 4l4 3.5M5 13v7h14v-7',
  print: 'M7 9V4h10v5M7 17H4V9h16v8h-3M7 14h10v6H7z',
  scan: 'M4 8V4h4M16 4h4v4M20 16v4h-4M8 20H4v-4M4 12h16',
  shield: 'M12 3l7 3v5c0 4.5-3 8-7 10-4-2-7-5.5-7-10V6zM9 12l2 2 4-4',
  link: 'M10 14a4 4 0 0 0 6 0l3-3a4.2 4.2 0 0 0-6-6l-1 1M14 10a4 4 0 0 0-6 0l-3 3a4.2 4.2 0 0 0 6 6l1-1',
  download: 'M12 4v11M8 11.5l4 3.5 4-3.5M5 20h14',
  leave: 'M14 8V4H5v16h9v-4M10 12h10M17 9l3 3-3 3',
  search: 'M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM16 16l4.5 4.5',
  warn: 'M12 4 2.8 19.5h18.4zM12 10v4M12 16.8v.2',
  drop: 'M12 3.5c3.5 4.3 5.5 7.2 5.5 10a5.5 5.5 0 0 1-11 0c0-2.8 2-5.7 5.5-10z',
  erase: 'M9 6h11v12H9l-5-6zM12 10l4 4M16 10l-4 4',
  devices: 'M3 6h12v9H3zM3 18h9M16 10h5v9h-5z',
  globe: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM3.5 12h17M12 3c3 3 3 15 0 18M12 3c-3 3-3 15 0 18',
  sun: 'M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM12 3v2M12 19v2M3 12h2M19 12h2M5.6 5.6 7 7M17 17l1.4 1.4M18.4 5.6 17 7M7 17l-1.4 1.4',
  person: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4.5 20c1-4 4-5.5 7.5-5.5s6.5 1.5 7.5 5.5',
  lock: 'M7 11V8a5 5 0 0 1 10 0v3M5 11h14v9H5zM12 14.5v2',
  key: 'M14.5 9.5a4 4 0 1 0-3.8 4L13 11h2v-2zM10.7 13.5 6 18.2V20h3v-2h2v-2l1-1',
  menu: 'M4 7h16M4 12h16M4 17h16',
  book: 'M6 4h12v16H8a2 2 0 0 1-2-2zM6 18a2 2 0 0 1 2-2h10M10 8h4',
  gauge: 'M4 17a8.5 8.5 0 1 1 16 0M12 14l4-4',
} as const;

export type IconName = keyof typeof PATHS;

/**
 * Stands beside text with the same meaning, so it is hidden from screen readers. Icons that point in a direction turn
 * with the direction of text.
 */
export function Icon({ name, size = 24 }: { readonly name: IconName; readonly size?: number }) {
  const turns = name === 'back' || name === 'next' || name === 'leave' || name === 'erase';
  return (
    <svg className={turns ? 'icon turns' : 'icon'} width={size} height={size} viewBox="0 0 24 24" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}
