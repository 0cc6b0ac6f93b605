import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Band } from '../../ui/Band.tsx'
import { buttonClass } from '../../ui/button-class.ts'
import { failureText, type LinkFailure } from '../session/arrival.ts'
import { PageHeading } from '../shell/PageHeading.tsx'
import { AuthPage } from './AuthPage.tsx'

interface LinkFailedProps {
  readonly failure: LinkFailure
  /** The way on: a new link, or where to ask for one. */
  readonly children: ReactNode
}

/** A mailed link that opened no session: why, and the ways on. */
export function LinkFailed({ failure, children }: LinkFailedProps) {
  return (
    <AuthPage>
      <PageHeading>This link did not work</PageHeading>
      <Band tone="danger">{failureText(failure)}</Band>
      {children}
      <Link to="/signin" hash="" className={buttonClass('secondary', 'l')}>
        Go to sign in
      </Link>
    </AuthPage>
  )
}
