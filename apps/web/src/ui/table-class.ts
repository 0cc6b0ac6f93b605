/** The clothes of every table: the interactive one of the console and the plain ones of public pages. */

/** Wide rows scroll inside the frame on small screens; from 1024 px the frame clips, so a sticky head can stick. */
export const tableFrame = 'overflow-x-auto rounded-panel border border-line bg-raised lg:overflow-clip'
export const table = 'w-full border-collapse text-left'
export const headText = 'text-label font-medium whitespace-nowrap text-muted'
export const numeric = 'text-right tabular-nums whitespace-nowrap'

/** Of a table that keeps its columns on a phone. */
const inset = 'px-2 first:pl-3 last:pr-3 sm:px-3'
export const tableHead = `h-head ${inset} ${headText}`
export const tableRow = 'border-t border-line'
export const tableCell = `h-row ${inset}`
