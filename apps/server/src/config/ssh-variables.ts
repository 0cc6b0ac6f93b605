/** The variables of the SSH gateway. */
import { matching, type Values, variable, type Variables } from './variable.ts'

const defaultSshPort = 2222

export const sshVariables = {
  INGOT_SSH_PORT: variable<number, null>(
    {
      kind: 'Whole number, 1 to 65535, or `off`.',
      advice: 'Write a port such as 2222, or off',
      parse(text) {
        if (text === 'off' || text === '0') return 0
        const port = /^\d{1,5}$/.test(text) ? Number(text) : 0
        return port >= 1 && port <= 65_535 ? port : undefined
      },
    },
    {
      absent: null,
      shown: '`2222`; off where that is taken',
      does: 'The port of the SSH gateway, at the address that the server listens on.',
    },
  ),
  INGOT_SSH_HOST: matching(value => /^[\w.:-]{1,253}$/.test(value), {
    advice: 'Write a host such as ssh.example.com',
    absent: null,
    shown: 'the host of `INGOT_PUBLIC_URL`',
    does: 'The host that customers are told to connect to.',
  }),
} satisfies Variables

/** Null: there is none. */
export function readSsh(
  { INGOT_SSH_PORT: port, INGOT_SSH_HOST: host }: Values<typeof sshVariables>,
  publicUrl: string,
): { readonly host: string; readonly port: number; readonly isGiven: boolean } | null {
  if (port === 0) return null
  const shown = host ?? new URL(publicUrl).hostname.replace(/^\[|\]$/g, '')
  return { host: shown, port: port ?? defaultSshPort, isGiven: port !== null }
}
