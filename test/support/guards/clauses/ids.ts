const id = (digit: string): string => `${digit.repeat(8)}-0000-4000-8000-000000000000`;

export const ME = id('a');
export const OTHER = id('b');
export const WALLET = id('c');
export const MOVE = id('d');
export const ID = id('e');
export const KEY = id('1');
