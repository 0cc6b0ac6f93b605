/** What is typed to reach an instance by SSH, with its own values: each works as it stands when it is pasted. */
import type { SshAccess } from '@ingot/contracts/instance/ssh'

/** A name for `~/.ssh/config` and the shell, out of whatever the instance is called. */
export function aliasOf(name: string, user: string): string {
  const alias = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
  return alias || user
}

const bracketed = (host: string): string => (host.includes(':') ? `[${host}]` : host)

export function sshCommands(
  name: string,
  { host, port, user, host_key }: Pick<SshAccess, 'host' | 'port' | 'user' | 'host_key'>,
) {
  const there = `${user}@${bracketed(host)}`
  const alias = aliasOf(name, user)
  return {
    connect: `ssh -p ${port} ${user}@${host}`,
    upload: `scp -P ${port} file.txt ${there}:`,
    uploadFolder: `scp -P ${port} -r folder ${there}:`,
    download: `scp -P ${port} ${there}:file.txt .`,
    sftp: `sftp -P ${port} ${there}`,
    port: `ssh -p ${port} -N -L 8888:localhost:8888 ${user}@${host}`,
    alias,
    config: [
      `Host ${alias}`,
      `  HostName ${host}`,
      `  Port ${port}`,
      `  User ${user}`,
      '  ServerAliveInterval 30',
    ].join('\n'),
    knownHost: `${port === 22 ? host : `[${host}]:${port}`} ${host_key}`,
  }
}
