import { expect, it } from 'vitest'
import { noMatchText, openVolumeDialog, readVolumesSearch, volumesTitle } from './volumes-search.ts'

const id = '01980000-0000-7000-8000-000000000001'

it('reads what it knows and nothing else', () => {
  expect(readVolumesSearch({ search: 'data', status: 'in-use', row: id, create: '1' })).toEqual({
    search: 'data',
    status: 'in-use',
    row: id,
    open: null,
    create: true,
  })
  expect(readVolumesSearch({ status: 'deleting', row: 'x', dialog: 'burn', of: id, create: 'yes' })).toEqual({
    search: '',
    status: undefined,
    row: undefined,
    open: null,
    create: false,
  })
  expect(readVolumesSearch(openVolumeDialog('grow', id)).open).toEqual({ dialog: 'grow', id })
})

it('tells what changes in the title, and what matched nothing', () => {
  expect(volumesTitle(['creating', 'available', 'creating'])).toBe('2 creating · Network Volumes')
  expect(volumesTitle([])).toBe('Network Volumes')
  expect(noMatchText({ search: 'h', status: 'in-use' })).toBe("No in-use volumes match 'h'.")
})
