import { afterEach, expect, it } from 'vitest';
import { parseTime } from './parseTime.ts';

const pad = (part: number) => String(part).padStart(2, '0');

const { TZ } = process.env;
afterEach(() => {
  if (TZ === undefined) delete process.env.TZ;
  else process.env.TZ = TZ;
});

/** Zones of operators: the furthest from UTC on both sides, and one with half hours. */
it.each(['UTC', 'Pacific/Kiritimati', 'Pacific/Pago_Pago', 'Asia/Kolkata'])(
  'in %s accepts every day of the calendar, and no other',
  (zone) => {
    process.env.TZ = zone;
    const days = (year: number, month: number) => new Date(Date.UTC(year, month, 0)).getUTCDate();
    for (const year of [2027, 2028, 2100]) {
      for (let month = 1; month <= 12; month++) {
        for (let day = 1; day <= 31; day++) {
          const text = `${year}-${pad(month)}-${pad(day)}`;
          for (const [written, meant] of [
            [text, `${text}T00:00:00.000Z`],
            [`${text}T23:59Z`, `${text}T23:59:00.000Z`],
          ] as const) {
            if (day <= days(year, month)) expect(parseTime(written).toISOString()).toBe(meant);
            else expect(() => parseTime(written)).toThrow(`there is no day ${text}`);
          }
        }
      }
    }
  },
);

it.each(['2027-13-31', '2027-00-10', '2027-01-00', '2027-01-32', '2027-01-31T24:00Z', '2027-01-31T12:60Z', '20270131'])(
  'refuses %s',
  (text) => {
    expect(() => parseTime(text)).toThrow('is not a day (2027-01-31) or a time (2027-01-31T12:00Z)');
  },
);
