/** `"1,200+"` a quarter of the way up is `"300+"`: the first number grows, what stands around it stays. */
export function figureAt(final: string, share: number): string {
  if (share >= 1) return final
  return final.replace(/\d[\d,]*(?:\.(\d+))?/, (number, decimals: string | undefined) => {
    const value = Number(number.replaceAll(',', '')) * share
    const digits = decimals?.length ?? 0
    return number.includes(',')
      ? Math.floor(value).toLocaleString('en-US')
      : (Math.floor(value * 10 ** digits) / 10 ** digits).toFixed(digits)
  })
}
