import type { Provider, User, UserIdentity } from '@supabase/auth-js'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { Band } from '../../ui/Band.tsx'
import { Button } from '../../ui/Button.tsx'
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx'
import { toast } from '../../ui/toast.ts'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { Time } from '../../ui/Time.tsx'
import { providerName, useSignInWays } from '../session/auth-settings.ts'
import { failureOf, unexplained } from '../session/auth-failure.ts'
import { linkedTarget } from '../session/link-targets.ts'
import { arrival, failureText } from '../session/arrival.ts'
import { auth } from '../session/auth.tsx'
import { useOfflineReason } from '../shell/online.ts'
import { QueryView } from '../shell/QueryView.tsx'
import { userQuery } from './queries.ts'
import { rowList, Section, SettingRow } from './Section.tsx'

export function IdentitiesSection() {
  const user = useQuery(userQuery)
  const search: { linked?: string } = useSearch({ strict: false })
  return (
    <Section id="identities" lead="What signs you in to this account.">
      <QueryView
        query={user}
        failed="The identities could not be loaded"
        skeleton={<Skeleton className="h-16" />}
      >
        {data => (
          <>
            {search.linked !== undefined && <Linked provider={search.linked} user={data} />}
            <Identities user={data} />
          </>
        )}
      </QueryView>
    </Section>
  )
}

interface LinkedProps {
  readonly provider: string
  readonly user: User
}

/** Back from a provider: what came of it. Only a success tidies the address, so that a reload repeats a failure. */
function Linked({ provider, user }: LinkedProps) {
  const navigate = useNavigate()
  const name = useProviderName()(provider)
  const { failure } = arrival
  const isLinked = !failure && (user.identities ?? []).some(identity => identity.provider === provider)
  useEffect(() => {
    if (!isLinked) return
    toast.success(`${name} linked`)
    void navigate({ to: '/console/settings', hash: 'identities', search: {}, replace: true })
  }, [isLinked, name, navigate])
  if (isLinked) return null
  return (
    <Band tone="danger">
      {name} was not linked. {failure ? failureText(failure) : 'Nothing came back from it. Try again.'}
    </Band>
  )
}

function useProviderName(): (id: string) => string {
  const { providers } = useSignInWays()
  return id => providers.find(provider => provider.id === id)?.name ?? providerName(id)
}

function Identities({ user }: { readonly user: User }) {
  const { providers } = useSignInWays()
  const nameOf = useNameOf()
  const offline = useOfflineReason()
  const [leaving, setLeaving] = useState<UserIdentity | null>(null)
  const identities = user.identities ?? []
  const free = providers.filter(({ id }) => !identities.some(identity => identity.provider === id))
  const link = async (id: string, name: string) => {
    const { error } = await auth
      .linkIdentity({ provider: id as Provider, options: { redirectTo: linkedTarget(id) } })
      .catch(() => ({ error: unexplained }))
    if (error) toast.error(`Failed to link ${name}: ${failureOf(error).message}`)
  }
  return (
    <>
      <ul className={rowList}>
        {identities.map(identity => (
          <SettingRow
            key={identity.identity_id}
            title={nameOf(identity)}
            action={
              <Button
                variant="danger"
                aria-label={`Unlink ${nameOf(identity)}`}
                onClick={() => setLeaving(identity)}
                disabledReason={identities.length === 1 ? 'It is the only way into this account' : offline}
              >
                Unlink
              </Button>
            }
          >
            {accountOf(identity)}
            {identity.last_sign_in_at && (
              <>
                , last used <Time at={identity.last_sign_in_at} />
              </>
            )}
          </SettingRow>
        ))}
        {free.map(({ id, name }) => (
          <SettingRow
            key={id}
            title={name}
            action={
              <Button onClick={() => void link(id, name)} disabledReason={offline}>
                Link {name}
              </Button>
            }
          >
            Not linked
          </SettingRow>
        ))}
      </ul>
      {leaving && <UnlinkDialog identity={leaving} onClose={() => setLeaving(null)} />}
    </>
  )
}

function UnlinkDialog({
  identity,
  onClose,
}: {
  readonly identity: UserIdentity
  readonly onClose: () => void
}) {
  const client = useQueryClient()
  const nameOf = useNameOf()
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)
  const unlink = async () => {
    setBusy(true)
    const { error } = await auth.unlinkIdentity(identity).catch(() => ({ error: unexplained }))
    setBusy(false)
    if (error) return setProblem(`Failed to unlink: ${failureOf(error).message}`)
    void client.invalidateQueries({ queryKey: userQuery.queryKey })
    toast.success(`${nameOf(identity)} unlinked`)
    onClose()
  }
  return (
    <ConfirmDialog
      open
      onOpenChange={onClose}
      title={`Unlink ${nameOf(identity)}`}
      confirmLabel="Unlink"
      busyLabel="Unlinking..."
      busy={isBusy}
      error={problem}
      onConfirm={() => void unlink()}
    >
      {accountOf(identity)} no longer signs in to this account. It can be linked again.
    </ConfirmDialog>
  )
}

function useNameOf(): (identity: UserIdentity) => string {
  const ofProvider = useProviderName()
  return ({ provider }) => {
    if (provider === 'email') return 'Email and password'
    if (provider === 'phone') return 'Phone'
    return provider.startsWith('sso:') ? 'Single sign-on' : ofProvider(provider)
  }
}

const accountOf = ({ identity_data: data, id }: UserIdentity): string =>
  String(data?.['user_name'] ?? data?.['preferred_username'] ?? data?.['email'] ?? data?.['phone'] ?? id)
