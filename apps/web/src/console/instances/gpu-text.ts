/** `48 GB`, or `48 GB each` where there are several. */
export const memoryText = (eachGb: number, count: number): string => `${eachGb} GB${count > 1 ? ' each' : ''}`
