/** `97.5` minutes → `1.63`: hours to two decimals, as the month's usage is told. */
export const usageHours = (minutes: number): string => (minutes / 60).toFixed(2)
