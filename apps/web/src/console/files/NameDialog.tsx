import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { Field } from '../../ui/Field.tsx'
import { Input } from '../../ui/Input.tsx'
import { toast } from '../../ui/toast.ts'
import { api } from '../shell/api.ts'
import { CopyCall } from '../shell/CopyCall.tsx'
import { useOfflineReason } from '../shell/online.ts'
import { faultText } from './fault-text.ts'
import { joined, nameOf, parentOf, readPath, whyNotName } from './paths.ts'
import type { FileSource } from './source.ts'

interface NameDialogProps {
  readonly source: FileSource
  /** A new folder in a folder, or another path for what is there. */
  readonly act:
    | { readonly kind: 'folder'; readonly path: string }
    | { readonly kind: 'move'; readonly path: string }
  readonly onClose: () => void
  readonly onDone: (path: string) => void
}

export function NameDialog({ act, onClose, ...rest }: NameDialogProps) {
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={act.kind === 'folder' ? 'New folder' : 'Rename or move'}
      width="s"
    >
      <NameForm act={act} onClose={onClose} {...rest} />
    </Dialog>
  )
}

/** Where a text leads: a name in the folder, or a whole path. */
function target(folder: string, text: string): { readonly path: string } | { readonly why: string } {
  if (text.startsWith('/')) {
    const path = readPath(text)
    return path && path !== '/' ? { path } : { why: 'This is no path' }
  }
  const why = whyNotName(text)
  return why ? { why } : { path: joined(folder, text) }
}

function NameForm({ source, act, onClose, onDone }: NameDialogProps) {
  const { kind, id } = source
  const isMove = act.kind === 'move'
  const folder = isMove ? parentOf(act.path) : act.path
  const [text, setText] = useState(isMove ? nameOf(act.path) : '')
  const [isTouched, touch] = useState(false)
  const offline = useOfflineReason()
  const to = target(folder, text)
  const save = useMutation({
    mutationFn: (path: string) =>
      isMove ? api[kind].moveFile({ id, path: act.path, to: path }) : api[kind].makeFolder({ id, path }),
    onSuccess: (_, path) => {
      toast.success(isMove ? 'Moved' : 'Folder made')
      onDone(path)
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    touch(true)
    if ('path' in to && !save.isPending) save.mutate(to.path)
  }
  const path = 'path' in to ? to.path : joined(folder, 'name')
  return (
    <form noValidate onSubmit={submit} className="flex flex-col gap-4">
      <Field
        label={isMove ? 'Name, or path' : 'Name'}
        hint={
          isMove ? `A name stays in ${folder}. A path that begins with / moves it there.` : `In ${folder}.`
        }
        error={save.error ? faultText(save.error) : isTouched && 'why' in to ? to.why : undefined}
      >
        <Input
          value={text}
          onChange={event => {
            setText(event.target.value)
            save.reset()
          }}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
        />
      </Field>
      <div className="flex flex-wrap justify-end gap-2 pt-2">
        <div className="mr-auto">
          {isMove ? (
            <CopyCall call={`${kind}.moveFile`} values={{ id, path: act.path, to: path }} />
          ) : (
            <CopyCall call={`${kind}.makeFolder`} values={{ id, path }} />
          )}
        </div>
        <Button onClick={onClose}>Cancel</Button>
        <Button
          type="submit"
          variant="primary"
          busy={save.isPending}
          busyLabel={isMove ? 'Moving...' : 'Making...'}
          disabledReason={offline}
        >
          {isMove ? 'Move' : 'Make folder'}
        </Button>
      </div>
    </form>
  )
}
