/** How a Field tells the control inside it who it is: the control needs no wiring of its own. */
import { createContext, useContext } from 'react'

export interface FieldWiring {
  readonly id: string
  readonly 'aria-describedby': string | undefined
  readonly 'aria-invalid': true | undefined
  readonly required: boolean
}

export const FieldContext = createContext<FieldWiring | null>(null)

/** Attributes for the control; empty outside a Field. */
export const useFieldWiring = (): Partial<FieldWiring> => useContext(FieldContext) ?? {}
