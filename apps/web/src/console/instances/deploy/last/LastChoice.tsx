import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { Band } from '../../../../ui/Band.tsx'
import { Button } from '../../../../ui/Button.tsx'
import type { ChangeSearch, SearchText } from '../../../list/search-state.ts'
import { sshKeysQuery } from '../../../ssh/queries.ts'
import { type DeployChoices, deploySearchFor, type OnSale } from '../deploy-search.ts'
import { freshSearch, goneTexts } from './last-deploy.ts'

interface LastChoiceProps {
  readonly search: SearchText
  readonly onSale: OnSale
  readonly choices: DeployChoices
  readonly change: ChangeSearch
}

/** Where the form began with the choices of the last deploy: that it did, what of them is gone, and the way to the defaults. */
export function LastChoice({ search, onSale, choices, change }: LastChoiceProps) {
  const keys = useQuery(sshKeysQuery)
  // As it was at the beginning: another choice answers what is said of the last one.
  const [gone] = useState(() => goneTexts(search, onSale, choices))
  const [lastKeys] = useState(choices.ssh_keys ?? [])
  const chosen = choices.ssh_keys
  const isThere = (id: string) => keys.data?.items.some(key => key.id === id) ?? true
  const goneKeys = lastKeys.filter(id => !isThere(id)).length
  useEffect(() => {
    if (!keys.data || !chosen) return
    const there = chosen.filter(id => keys.data.items.some(key => key.id === id))
    if (there.length === chosen.length) return
    // None of them left: which ones open it is asked again, rather than all of them.
    change(deploySearchFor({ ssh_keys: keys.data.items.length > 0 ? there : undefined }))
  }, [keys.data, chosen, change])
  return (
    <Band
      tone={gone.length > 0 || goneKeys > 0 ? 'warn' : 'info'}
      action={<Button onClick={() => change(freshSearch)}>Start fresh</Button>}
    >
      Chosen as at your last deploy. Prices and stock are those of now.
      {gone.map(text => ` ${text}`)}
      {goneKeys > 0 &&
        ` ${goneKeys === 1 ? 'An SSH key' : `${goneKeys} SSH keys`} of it ${goneKeys === 1 ? 'is' : 'are'} not in your account any more: look at the choice of keys.`}
    </Band>
  )
}
