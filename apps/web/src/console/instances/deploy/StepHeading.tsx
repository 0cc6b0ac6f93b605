import { useEffect, useRef } from 'react'
import { StepBar } from '../../../ui/StepBar.tsx'

/** Takes the focus when the step changes, as a heading does when the page does. */
export function StepHeading({ step }: { readonly step: 1 | 2 }) {
  const heading = useRef<HTMLHeadingElement>(null)
  const shown = useRef(step)
  useEffect(() => {
    if (shown.current === step) return
    shown.current = step
    heading.current?.focus()
    window.scrollTo(0, 0)
  }, [step])
  return (
    <div className="flex flex-col gap-2">
      <h2 ref={heading} tabIndex={-1} className="text-heading outline-none">
        {step === 1 ? 'Configure resources' : 'Review and pay'}
      </h2>
      <StepBar step={step} of={2} />
    </div>
  )
}
