import { useQuery } from '@tanstack/react-query'
import { Button } from '../../ui/Button.tsx'
import { ChangePasswordDialog } from './ChangePasswordDialog.tsx'
import { userQuery } from './queries.ts'
import { rowList, Section, SettingRow } from './Section.tsx'
import { SessionsDialog } from './SessionsDialog.tsx'
import { useDialog } from './use-dialog.ts'

export function SecuritySection() {
  const { data: user } = useQuery(userQuery)
  const password = useDialog('password')
  const sessions = useDialog('sessions')
  return (
    <Section id="security">
      <ul className={rowList}>
        <SettingRow title="Password" action={<Button onClick={password.open}>Change password</Button>}>
          A new password signs every other session out.
        </SettingRow>
        <SettingRow title="Login sessions" action={<Button onClick={sessions.open}>Show sessions</Button>}>
          Where you are signed in, and a way to end each.
        </SettingRow>
      </ul>
      <ChangePasswordDialog email={user?.email ?? ''} open={password.isOpen} onClose={password.close} />
      <SessionsDialog open={sessions.isOpen} onClose={sessions.close} />
    </Section>
  )
}
