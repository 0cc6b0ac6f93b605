import { useState } from 'react'
import { areSingleKeysOn, setSingleKeysOn } from '../../ui/shortcuts.ts'
import { Switch } from '../../ui/Switch.tsx'

/** Letters alone can collide with other tools, and can be turned off. Kept in this browser. */
export function SingleKeys() {
  const [on, setOn] = useState(areSingleKeysOn)
  return (
    <Switch
      label="Single-key shortcuts"
      hint="Letters that act without Ctrl. Kept in this browser; Ctrl K works either way."
      checked={on}
      onCheckedChange={next => {
        setSingleKeysOn(next)
        setOn(next)
      }}
    />
  )
}
