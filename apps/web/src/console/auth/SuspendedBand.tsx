import { Band } from '../../ui/Band.tsx'
import { buttonClass } from '../../ui/button-class.ts'

/** Whoever has proved that the account is theirs reads why it is closed, and where to write to. */
export function SuspendedBand({ words }: { readonly words: string }) {
  return (
    <Band
      tone="danger"
      action={
        <a href="/contact" className={buttonClass()}>
          Write to us
        </a>
      }
    >
      {words}
    </Band>
  )
}
