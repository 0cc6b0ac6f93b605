import { cvTooLarge, cvTypes, cvWrongType, siteLimits } from '@ingot/contracts/site'
import { type ReactNode, useId } from 'react'
import { buttonClass } from '../../ui/button-class.ts'
import { cx } from '../../ui/cx.ts'
import { inputClass } from '../../ui/Input.tsx'
import { choiceClass } from './control-class.ts'

interface FormProps {
  /** The path of the `POST` that takes it. */
  readonly call: string
  /** The path of the `POST` that takes its file, which comes before the rest and is named there by its ticket. */
  readonly fileCall?: string
  /** Sent as they are, beside what is typed. */
  readonly fixed?: Readonly<Record<string, string>>
  readonly submit: string
  readonly busy: string
  /** Said when it arrived. */
  readonly done: string
  readonly note?: ReactNode
  readonly primary?: boolean
  /** Field and button in one line, for a single address. */
  readonly inline?: boolean
  readonly children: ReactNode
}

/**
 * A form that islands/form.ts sends. The words for being busy, done and failed stand here; without a script the button
 * is not shown, because it could not do what it says.
 */
export function Form({
  call,
  fileCall,
  fixed,
  submit,
  busy,
  done,
  note,
  primary,
  inline,
  children,
}: FormProps) {
  return (
    <div>
      <form
        data-island="form"
        data-call={call}
        data-file-call={fileCall}
        data-busy={busy}
        method="post"
        className="flex flex-col gap-4"
      >
        {Object.entries(fixed ?? {}).map(([name, value]) => (
          <input key={name} type="hidden" name={name} value={value} />
        ))}
        <Trap />
        <div className={inline ? 'flex flex-wrap items-end gap-3' : 'contents'}>
          {children}
          <button
            type="submit"
            className={cx(
              buttonClass(primary ? 'primary' : 'secondary', 'l'),
              'needs-script self-start',
              inline && 'sm:self-end',
            )}
          >
            {submit}
          </button>
        </div>
        <p data-failed role="alert" hidden className="font-medium text-danger" />
        {note && <p className="text-label text-muted">{note}</p>}
      </form>
      <output
        data-done
        tabIndex={-1}
        hidden
        className="block rounded-panel bg-ok-soft p-4 text-prose text-ok"
      >
        {done}
      </output>
      <p className="without-script mt-2 text-label text-muted">Sending this form needs JavaScript.</p>
    </div>
  )
}

/** People do not see it; programs that fill every field do. */
function Trap() {
  const id = useId()
  return (
    <div aria-hidden="true" className="sr-only">
      <label htmlFor={id}>Leave this empty</label>
      <input id={id} name="trap" tabIndex={-1} autoComplete="off" />
    </div>
  )
}

interface FieldProps {
  readonly name: string
  readonly label: string
  readonly hint?: string
  readonly optional?: boolean
  readonly type?: 'text' | 'email' | 'file'
  readonly autoComplete?: string
  readonly maxLength?: number
  /** Makes a text area of so many rows. */
  readonly rows?: number
  /** Makes a choice of these. */
  readonly options?: readonly { readonly value: string; readonly label: string }[]
}

/** The only file that any form takes is a CV. */
const fileRules = {
  accept: Object.keys(cvTypes)
    .map(end => `.${end}`)
    .join(','),
  'data-max-bytes': siteLimits.cv,
  'data-too-large': cvTooLarge,
  'data-wrong-type': cvWrongType,
}

/** One control with its label, its hint, and the place where the script writes what is wrong with it. */
export function FormField({ name, label, hint, optional, rows, options, type, ...rest }: FieldProps) {
  const id = useId()
  const wiring = {
    id,
    name,
    required: !optional,
    'aria-describedby': cx(hint && `${id}-hint`, `${id}-error`),
    ...rest,
  }
  return (
    <div className="flex min-w-0 grow flex-col gap-1">
      <label htmlFor={id} className="font-medium">
        {label}
        {optional && <span className="font-normal text-muted"> (optional)</span>}
      </label>
      {options ? (
        <select {...wiring} className={choiceClass}>
          {options.map(option => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </select>
      ) : rows ? (
        <textarea {...wiring} rows={rows} className={cx(inputClass, 'py-2')} />
      ) : (
        <input
          {...wiring}
          {...(type === 'file' ? fileRules : {})}
          type={type ?? 'text'}
          className={type === 'file' ? cx(choiceClass, 'py-2') : cx(inputClass, 'h-control')}
        />
      )}
      {hint && (
        <p id={`${id}-hint`} className="text-label font-normal text-muted">
          {hint}
        </p>
      )}
      <p id={`${id}-error`} data-error-for={name} hidden className="text-label text-danger" />
    </div>
  )
}
