/** A volume as a machine has it: mounted at `/volumes/<name>`, and linked as `/workspace/<name>` where nothing is yet. */
export interface VolumeMount {
  /** Of the volume, in the store beside the machine's driver. */
  readonly ref: string
  /** One that `isMountName` accepts. */
  readonly name: string
  readonly readOnly: boolean
}

export const volumesFolder = '/volumes'
export const linksFolder = '/workspace'
export const mountPath = (name: string): string => `${volumesFolder}/${name}`

/** One part of a path that needs no quoting anywhere, is no dot name and no option. */
export const isMountName = (name: string): boolean => /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/.test(name)

/** A name to mount by from whatever the customer called the volume. */
export function mountNameOf(name: string): string {
  const plain = name
    .slice(0, 1_000)
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^A-Za-z0-9._-]+/g, '-')
    .replaceAll(/^[-._]+/g, '')
    .slice(0, 63)
    .replaceAll(/[-._]+$/g, '')
  return plain || 'volume'
}
