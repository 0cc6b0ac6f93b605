/** The clothes of every table: the interactive one of the console and the plain ones of public pages. */

/** Wide rows scroll inside the frame on small screens; from 1024 px the frame clips, so a sticky head can stick. */
export const tableFrame =
  'overflow-x-auto rounded-panel border border-line bg-raised lg:overflow-clip focus-visible:outline-2'
export const table = 'w-full border-collapse text-left'
export const tableHead = 'h-head px-3 text-label font-medium whitespace-nowrap text-muted'
export const tableRow = 'border-t border-line'
export const tableCell = 'h-row px-3'
export const numeric = 'text-right tabular-nums whitespace-nowrap'
