import type { ReactNode } from 'react'
import { Button } from './Button.tsx'
import { CopyButton } from './CopyButton.tsx'
import { StatusShape } from './StatusShape.tsx'

interface ErrorStateProps {
  /** What failed, in plain words. */
  readonly title: string
  /** What it means and what still works. */
  readonly children?: ReactNode
  readonly requestId?: string
  readonly onRetry?: () => void
  readonly retrying?: boolean
  /** Another way on: a link to the list, to the status. */
  readonly action?: ReactNode
}

export function ErrorState({ title, children, requestId, onRetry, retrying, action }: ErrorStateProps) {
  return (
    <div
      role="alert"
      className="flex flex-col items-start gap-4 rounded-panel border border-line bg-raised p-6"
    >
      <div className="max-w-prose">
        <p className="flex items-center gap-2 text-heading">
          <span className="text-danger">
            <StatusShape kind="failed" />
          </span>
          {title}
        </p>
        {children && <div className="pt-1 text-muted">{children}</div>}
      </div>
      {(onRetry || action) && (
        <div className="flex flex-wrap items-center gap-4">
          {onRetry && (
            <Button onClick={onRetry} busy={retrying}>
              Try again
            </Button>
          )}
          {action}
        </div>
      )}
      {requestId && (
        <p className="flex flex-wrap items-center gap-2 text-label text-muted">
          Request <code className="font-mono text-code break-all">{requestId}</code>
          <CopyButton text={requestId} what="request id" />
        </p>
      )}
    </div>
  )
}
