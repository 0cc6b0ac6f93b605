import { Button } from '../../ui/Button.tsx'
import { toast } from '../../ui/toast.ts'
import { useCopy } from '../../ui/use-copy.ts'

const words = { idle: 'Copy as curl', copied: 'Copied', failed: 'Not copied' }

/** What the screen shows, as the call that answers the same. */
export function CopyCurlButton({ text }: { readonly text: string }) {
  const [state, copy] = useCopy()
  return (
    <Button
      variant="ghost"
      onClick={() => void copy(text).then(done => done && toast.success('Copied to clipboard'))}
    >
      <span className="inline-grid justify-items-center *:[grid-area:1/1]" aria-live="polite">
        <span className={state === 'idle' ? undefined : 'invisible'}>{words.idle}</span>
        {state !== 'idle' && <span>{words[state]}</span>}
      </span>
    </Button>
  )
}
