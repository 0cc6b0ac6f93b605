import { type ErrorComponentProps, useRouter } from '@tanstack/react-router'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { PageHeading } from '../shell/PageHeading.tsx'

/** When a screen's code cannot be fetched (a new version took its place) or fails. The rest of the console goes on. */
export function CrashScreen({ error, reset }: ErrorComponentProps) {
  const router = useRouter()
  console.error(error)
  const again = () => {
    reset()
    void router.invalidate()
  }
  return (
    <div className="mx-auto flex max-w-prose flex-col gap-4 p-4 sm:p-6">
      <PageHeading>This page could not be shown</PageHeading>
      <ErrorState
        title="The page failed to open"
        onRetry={again}
        action={
          <button type="button" className="link" onClick={() => location.reload()}>
            Reload
          </button>
        }
      >
        Your instances are not affected. If a new version was installed meanwhile, reloading fetches it.
      </ErrorState>
    </div>
  )
}
