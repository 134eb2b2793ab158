import encodeQR from 'qr';

/** Drawn as one path: no picture to load, sharp at any size. Always dark on light, because cameras expect that. */
export default function QrCode({ text, label }: { readonly text: string; readonly label: string }) {
  const rows = encodeQR(text, 'raw', { ecc: 'medium', border: 2 });
  const path = rows.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : ''))).join('');
  return (
    <svg
      className="qr"
      viewBox={`0 0 ${rows.length} ${rows.length}`}
      role="img"
      aria-label={label}
      shape-rendering="crispEdges"
    >
      <rect width="100%" height="100%" fill="#fff" />
      <path d={path} fill="#111" />
    </svg>
  );
}
