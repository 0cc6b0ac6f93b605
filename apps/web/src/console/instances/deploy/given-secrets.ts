/** What is entered on the deploy screen and sealed by the service. It stands in no address: a reload forgets it. */

import { fromShell } from '../../shell/call-text.ts'

export interface GivenSecrets {
  readonly secrets: Readonly<Record<string, string>>
  readonly username: string
  readonly password: string
}

export const noSecrets: GivenSecrets = { secrets: {}, username: '', password: '' }

/** The fields of a deploy; none where nothing was entered. */
export function secretsInput({ secrets, username, password }: GivenSecrets) {
  const entered = Object.entries(secrets).filter(([, value]) => value !== '')
  return {
    ...(entered.length > 0 ? { secrets: Object.fromEntries(entered) } : {}),
    ...(username && password ? { registry_credentials: { username, password } } : {}),
  }
}

/** For a command: each as a variable of the shell of whoever runs it. */
export function shownSecrets(given: GivenSecrets) {
  const { secrets, registry_credentials } = secretsInput(given)
  return {
    ...(secrets && {
      secrets: Object.fromEntries(Object.keys(secrets).map(name => [name, fromShell(name)])),
    }),
    ...(registry_credentials && {
      registry_credentials: {
        username: registry_credentials.username,
        password: fromShell('REGISTRY_PASSWORD'),
      },
    }),
  }
}
