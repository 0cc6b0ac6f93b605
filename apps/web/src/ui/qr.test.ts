import { expect, it } from 'vitest'
import { encodeQr } from './qr.ts'

/** Written by an independent encoder (uqr 0.1.3, version 3, level M): eight hex digits a row. */
const golden =
  '1fdbed7f10529d411745125d17526d5d174c565d104fb2411fd5557f001e380016e6bf4b01b0ee3e13488492050e06620e407b10133e7c030ce09649182c564b01e25e980026772b1541ecf80784edac0c74fdff00171b141fd643521056c310174b09f6175b9b0d17589ea1104c43ea1fdc2736'

it('draws what other encoders draw', () => {
  const rows = encodeQr('TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t').map(row =>
    Number.parseInt(row.map(dark => (dark ? '1' : '0')).join(''), 2)
      .toString(16)
      .padStart(8, '0'),
  )
  expect(rows.join('')).toBe(golden)
})

it('refuses a text that does not fit', () => {
  expect(() => encodeQr('x'.repeat(43))).toThrow(RangeError)
  expect(encodeQr('x'.repeat(42))).toHaveLength(29)
})
