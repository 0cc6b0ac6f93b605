import { expect, it, vi } from 'vitest'
import { appToast, dismissAppToast, onToastChange, shownToast } from './app-toast.ts'

it('shows one toast at a time, and an old one cannot dismiss the new', () => {
  const changed = vi.fn<() => void>()
  const stop = onToastChange(changed)
  appToast({ title: 'Copied!', description: 'Address copied to clipboard' })
  const first = shownToast()!
  appToast({ title: 'Error', variant: 'destructive' })
  expect(shownToast()).toMatchObject({ title: 'Error', variant: 'destructive' })
  dismissAppToast(first.id)
  expect(shownToast()?.title).toBe('Error')
  dismissAppToast(shownToast()!.id)
  expect(shownToast()).toBeNull()
  expect(changed).toHaveBeenCalledTimes(3)
  stop()
})
