/**
 * Sends a form of parts/Form.tsx: says at the field what is wrong, shows that it is busy, and ends with the words of
 * success. Whatever fails, what was typed stays. The same content is sent under the same Idempotency-Key, however often
 * the button is pressed.
 */
type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement

export function form(element: HTMLElement): void {
  const form = element as HTMLFormElement
  const button = form.querySelector<HTMLButtonElement>('button[type=submit]')!
  const failed = form.querySelector<HTMLElement>('[data-failed]')!
  const label = button.textContent
  let key = ''
  let keyed = ''
  /** The file that was sent, and what it is named by: it is sent once, however often the button is pressed. */
  let sent: { readonly file: File; readonly ticket: string } | null = null
  form.noValidate = true

  // A link may say what a message is about: /contact?type=sales.
  for (const [name, value] of new URLSearchParams(location.search)) {
    const control = form.elements.namedItem(name)
    if (control instanceof HTMLSelectElement && [...control.options].some(option => option.value === value))
      control.value = value
  }

  const controls = () =>
    [...form.elements].filter(
      (control): control is Control =>
        'name' in control && form.querySelector(`[data-error-for="${control.name}"]`) !== null,
    )

  function mark(control: Control, problem: string): void {
    const place = form.querySelector<HTMLElement>(`[data-error-for="${control.name}"]`)!
    place.textContent = problem
    place.hidden = problem === ''
    if (problem) control.setAttribute('aria-invalid', 'true')
    else control.removeAttribute('aria-invalid')
  }

  function say(text: string): void {
    failed.textContent = text
    failed.hidden = text === ''
  }

  /** Marks every field that needs another value, and answers whether there is none. */
  function isComplete(): boolean {
    const wrong = controls().filter(control => {
      const problem = problemOf(control)
      mark(control, problem)
      return problem
    })
    wrong[0]?.focus()
    return wrong.length === 0
  }

  function refuse(fields: Record<string, string>): boolean {
    const named = controls().filter(control => {
      const problem = fields[control.name] ?? fields[`${control.name}_name`]
      if (problem) mark(control, problem)
      if (problem && control.type === 'file') sent = null
      return problem
    })
    named[0]?.focus()
    return named.length > 0
  }

  async function send(): Promise<void> {
    const contents: Record<string, string> = {}
    // Empty optional fields are left out.
    for (const [name, value] of new FormData(form)) {
      if (typeof value === 'string') {
        if (value !== '') contents[name] = value
        continue
      }
      const ticket = await sendFile(form.elements.namedItem(name) as HTMLInputElement)
      if (ticket === null) return
      contents[name] = ticket
    }
    const body = JSON.stringify(contents)
    if (body !== keyed) [keyed, key] = [body, newKey()]
    const headers = { 'content-type': 'application/json', 'idempotency-key': key }
    if (await ask(form.dataset.call!, { headers, body })) succeed()
  }

  /** Null: it was refused, which is said. */
  async function sendFile({ name, files }: HTMLInputElement): Promise<string | null> {
    const file = files![0]!
    if (sent?.file === file) return sent.ticket
    const query = new URLSearchParams({ [`${name}_name`]: file.name, ...(await checksum(file)) })
    const headers = { 'content-type': 'application/octet-stream' }
    const answer = await ask(`${form.dataset.fileCall!}&${query}`, { headers, body: file })
    if (answer) sent = { file, ticket: String(answer['ticket']) }
    return answer && sent!.ticket
  }

  /** Null: it was refused, which is said. */
  async function ask(
    path: string,
    request: { readonly headers: Record<string, string>; readonly body: string | File },
  ): Promise<Record<string, unknown> | null> {
    const response = await fetch(path, { method: 'POST', ...request })
    const answer = (await response.json().catch(() => ({}))) as Record<string, unknown>
    if (response.ok) return answer
    const error = answer['error'] as { message: string; fields?: Record<string, string> } | undefined
    if (error?.fields && refuse(error.fields)) return null
    const kept = controls().length > 0 ? ' What you typed is still here.' : ''
    say(`${error?.message ?? 'The service did not answer as expected'}.${kept}`.replace('..', '.'))
    return null
  }

  function succeed(): void {
    const done = form.parentElement!.querySelector<HTMLElement>('[data-done]')!
    form.hidden = true
    done.hidden = false
    done.focus()
  }

  form.addEventListener('input', event => {
    const control = event.target as Control
    if (control.getAttribute('aria-invalid')) mark(control, problemOf(control))
  })
  form.addEventListener('submit', async event => {
    event.preventDefault()
    if (button.ariaBusy === 'true') return
    say('')
    if (!isComplete()) return
    if (!navigator.onLine) return say(offline)
    button.ariaBusy = 'true'
    button.textContent = form.dataset.busy!
    try {
      await send()
    } catch {
      say(
        navigator.onLine
          ? 'The service cannot be reached. What you typed is still here: try again shortly.'
          : offline,
      )
    } finally {
      button.ariaBusy = 'false'
      button.textContent = label
    }
  })
}

const offline = 'You are offline. Nothing was sent; what you typed is still here.'

/** What a field lacks, in words that begin with what to do; empty when nothing. */
function problemOf(control: Control): string {
  const name = control.labels?.[0]?.firstChild?.textContent?.toLowerCase() ?? 'a value'
  const file = control instanceof HTMLInputElement ? control.files?.[0] : undefined
  const { maxBytes, tooLarge, wrongType } = control.dataset
  if (control.required && control.value.trim() === '')
    return control.type === 'file' ? 'Choose a file' : `Enter your ${name}`
  if (control.validity.typeMismatch) return 'Enter a whole address, such as name@example.com'
  if (file && file.size > Number(maxBytes)) return tooLarge!
  // The server decides by its bytes; its name is enough to save an upload in vain.
  if (
    file &&
    !(control as HTMLInputElement).accept.split(',').some(end => file.name.toLowerCase().endsWith(end))
  )
    return wrongType!
  return ''
}

/** Browsers make checksums over TLS only. */
async function checksum(file: File): Promise<Record<string, string>> {
  if (!crypto.subtle) return {}
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', await file.arrayBuffer()))
  return { sha256: [...hash].map(byte => byte.toString(16).padStart(2, '0')).join('') }
}

/** `crypto.randomUUID` is there over TLS only. */
const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), byte => byte.toString(16).padStart(2, '0')).join('')
