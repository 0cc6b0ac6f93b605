import type { Volume } from '@ingot/contracts/volumes'

/** Whose files are shown: the calls are the same for both. */
export interface FileSource {
  readonly kind: 'instances' | 'volumes'
  readonly id: string
  /** Why nothing in it can be changed now, in words for its owner; null while it can. */
  readonly readOnly: string | null
}

export const instanceSource = (id: string): FileSource => ({ kind: 'instances', id, readOnly: null })

export const volumeSource = ({ id, lapsed_at }: Pick<Volume, 'id' | 'lapsed_at'>): FileSource => ({
  kind: 'volumes',
  id,
  readOnly:
    lapsed_at &&
    'The month of this volume is not paid, so its files can be read and downloaded, not changed.',
})
