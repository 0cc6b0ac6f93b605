/** Text that `like` finds as it stands: `%` and `_` in it fit themselves alone. */
export const escapeLike = (text: string): string => text.replace(/[\\%_]/g, match => `\\${match}`)
