/** Locks whose removal no pair notices, and why nothing goes wrong without them, by the name of the mutant. */
export const HARMLESS: Readonly<Record<string, string>> = {};
