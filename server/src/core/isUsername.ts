/**
 * Whether a person can have this name. Test a text before converting it to lower case: some letters outside ASCII
 * become ASCII letters (the Kelvin sign becomes a k). PostgreSQL refuses some other texts, for example those with a NUL.
 */
export const isUsername = (text: string): boolean => /^[A-Za-z0-9_]{3,30}$/.test(text);
