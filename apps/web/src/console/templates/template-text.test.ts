import { expect, it } from 'vitest'
import { imageText, loadedText, readPorts, readVariables, shareLink, variablesText } from './template-text.ts'

it('reads back what it wrote, whatever a value holds', () => {
  const variables = { A: '1', B: 'a=b # c', C: ' two\nlines ', D: '"quoted"', E: '', _F2: 'é' }
  expect(readVariables(variablesText(variables))).toEqual(variables)
})

it('leaves out comments and empty lines, and says which line is wrong', () => {
  expect(readVariables('\n# a comment\r\n A = 1 \n')).toEqual({ A: '1' })
  expect(readVariables('A=1\nB')).toBe('Line 2 is no NAME=value')
  expect(readVariables('1A=x')).toMatch(/^Line 1: a name/)
  expect(readVariables('A=1\nA=2')).toBe('Line 2: A is there twice')
  expect(readVariables('A="x')).toMatch(/^Line 1: what begins/)
})

it('reads ports with commas or spaces, each once', () => {
  expect(readPorts(' 8000, 22 8000')).toEqual([8000, 22])
  expect(readPorts('')).toEqual([])
  expect(readPorts('70000')).toMatch(/^70000 is no port/)
  expect(readPorts('http')).toMatch(/^http is no port/)
})

it('says what a region makes of an image', () => {
  const template = { docker_image: 'me/it:1', start_command: 'serve' }
  expect(imageText({ runs_images: true, shell: 'real' }, template)).toBeNull()
  expect(imageText({ runs_images: false, shell: 'real' }, template)).toMatch(
    /me\/it:1 is not loaded.*programs of their host/,
  )
  expect(imageText({ runs_images: false, shell: 'simulated' }, template)).toMatch(/start command is not run/)
})

it('links to the template with its key', () => {
  expect(shareLink('https://x.example', 'id', 'a-_')).toBe(
    'https://x.example/console/templates?view=id&key=a-_',
  )
})

it('says where an image is loaded', () => {
  const region = (id: string, runs_images: boolean, available = true) => ({ id, runs_images, available })
  expect(loadedText([region('A', true), region('B', false)])).toMatch(/^In A\. Elsewhere/)
  expect(loadedText([region('A', true), region('B', false, false)])).toBe('In every region.')
  expect(loadedText([region('A', false), region('B', true, false)])).toMatch(/^In no region now/)
})
