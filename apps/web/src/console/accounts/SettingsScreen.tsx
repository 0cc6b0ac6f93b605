import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { PropertyList } from '../../ui/PropertyList.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { ThemeSwitch } from '../../ui/ThemeSwitch.tsx'
import { api } from '../shell/api.ts'
import { useAuth } from '../shell/auth.tsx'
import { PageHeading } from '../shell/PageHeading.tsx'
import { QueryView } from '../shell/QueryView.tsx'
import { SingleKeys } from '../shell/SingleKeys.tsx'

/** What can be read and what can be set in this browser. Changing the account comes with its own page. */
export function SettingsScreen() {
  const { user } = useAuth()
  const profile = useQuery({
    queryKey: ['accounts', 'profile'],
    queryFn: ({ signal }) => api.accounts.profile({}, { signal }),
  })
  return (
    <div className="flex max-w-prose flex-col gap-8">
      <PageHeading>Settings</PageHeading>
      <Section title="This browser">
        <ThemeSwitch />
        <SingleKeys />
      </Section>
      <Section title="Profile">
        <QueryView
          query={profile}
          failed="The profile could not be loaded"
          skeleton={<Skeleton className="h-24" />}
        >
          {({ first_name, last_name, company, plan_name }) => (
            <PropertyList
              properties={[
                { name: 'Name', value: `${first_name} ${last_name}`.trim() || '–' },
                { name: 'Email', value: user?.email },
                { name: 'Company', value: company || '–' },
                { name: 'Plan', value: plan_name },
              ]}
            />
          )}
        </QueryView>
        <p className="text-muted">
          Changing the profile, notifications, API keys, the password and the sessions is not built yet.
          Signing out here ends this browser's session at once.
        </p>
      </Section>
    </div>
  )
}

function Section({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section className="flex flex-col gap-4">
      <h2 className="border-b border-line pb-2 text-heading">{title}</h2>
      {children}
    </section>
  )
}
