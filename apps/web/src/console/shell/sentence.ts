/** Ends it with a full stop where it has no end of its own, so that another sentence can follow. */
export const sentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`)
