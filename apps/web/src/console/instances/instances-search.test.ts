import { expect, test } from 'vitest'
import { listTitle, openDialog, readInstancesSearch } from './instances-search.ts'

const id = '01980000-0000-7000-8000-000000000001'

test('a bare address is the first page, unfiltered, with nothing open', () => {
  expect(readInstancesSearch({})).toEqual({
    search: '',
    status: undefined,
    cursor: undefined,
    open: null,
    deploy: false,
  })
})

test('filters, page and dialogs are read from the address', () => {
  expect(readInstancesSearch({ search: 'h100', status: 'starting', cursor: id, deploy: '1' })).toMatchObject({
    search: 'h100',
    status: 'starting',
    cursor: id,
    deploy: true,
  })
  expect(readInstancesSearch(openDialog('edit', id) as Record<string, string>).open).toEqual({
    dialog: 'edit',
    id,
  })
})

test('what the service would refuse is never sent', () => {
  const wild = { status: 'terminated', cursor: '1; drop', dialog: 'details', instance: 'x', deploy: 'yes' }
  expect(readInstancesSearch(wild)).toMatchObject({
    status: undefined,
    cursor: undefined,
    open: null,
    deploy: false,
  })
  expect(readInstancesSearch({ search: 'x'.repeat(300) }).search).toHaveLength(100)
  expect(readInstancesSearch({ dialog: 'destroy', instance: id }).open).toBeNull()
})

test('the title counts what is changing', () => {
  expect(listTitle(['running', 'stopped'])).toBe('Instances')
  expect(listTitle(['starting', 'running', 'starting'])).toBe('2 starting · Instances')
  expect(listTitle(['stopping', 'starting'])).toBe('1 starting, 1 stopping · Instances')
})
