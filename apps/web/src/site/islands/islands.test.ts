import { describe, expect, it } from 'vitest'
import { chosenCategory, withCategory } from './category.ts'
import { figureAt } from './figure.ts'

describe('a figure on its way up', () => {
  it.each([
    ['500K+', 0.5, '250K+'],
    ['99.9%', 0.5, '49.9%'],
    ['1,200', 0.25, '300'],
    ['45,000', 0.5, '22,500'],
    ['140 GB', 0.1, '14 GB'],
    ['$10', 0, '$0'],
    ['none', 0.5, 'none'],
  ])('%s at %d is %s', (final, share, shown) => expect(figureAt(final, share)).toBe(shown))
  it('ends on exactly what it said', () => expect(figureAt('99.95% of 3', 1)).toBe('99.95% of 3'))
})

describe('a category in the address', () => {
  const known = ['all', 'compute', 'ai-ml']
  it('is read, and anything unknown is all of them', () => {
    expect(chosenCategory('?category=ai-ml', known)).toBe('ai-ml')
    expect(chosenCategory('?category=cheese', known)).toBe('all')
    expect(chosenCategory('', known)).toBe('all')
  })
  it('is written beside what else is there, and left out for all', () => {
    expect(withCategory('?q=a', 'compute')).toBe('?q=a&category=compute')
    expect(withCategory('?category=compute', 'all')).toBe('')
  })
})
