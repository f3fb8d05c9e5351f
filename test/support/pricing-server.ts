// The price list of AWS over HTTP in this process: products in the shape that the API gives them, page by page.
import http from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Offer {
  readonly service: string;
  readonly usagetype: string;
  readonly operation?: string;
  readonly region?: string;
  /** Ends of bands and USD a unit; one price where there is one. */
  readonly bands: readonly (readonly [end: string, usd: string])[];
}

export interface PricingServer {
  readonly endpoint: string;
  /** `AmazonS3 regionCode=us-west-2`, in the order in which they were asked for. */
  readonly asked: string[];
  /** From now on every request is refused like this. */
  refuse(type: string, message: string): void;
  close(): Promise<void>;
}

/** A product as `GetProducts` gives it: a text of JSON. */
export function productText({ service, usagetype, operation = '', region = 'us-west-2', bands }: Offer): string {
  const sku = Buffer.from(`${usagetype}${operation}`).toString('hex').slice(0, 16).toUpperCase();
  const attributes = { servicecode: service, usagetype, operation, regionCode: region, locationType: 'AWS Region' };
  const dimensions = bands.map(([endRange, USD], index) => [
    `${sku}.JRTCKXETXF.${index}`,
    { beginRange: bands[index - 1]?.[0] ?? '0', endRange, unit: 'Quantity', pricePerUnit: { USD }, appliesTo: [] },
  ]);
  const term = {
    priceDimensions: Object.fromEntries(dimensions),
    sku,
    offerTermCode: 'JRTCKXETXF',
    termAttributes: {},
  };
  return JSON.stringify({
    product: { productFamily: 'Storage', attributes, sku },
    serviceCode: service,
    terms: { OnDemand: { [`${sku}.JRTCKXETXF`]: term } },
    version: '20261120',
  });
}

/** Starts it; `pageSize` products an answer. */
export async function startPricingServer(offers: readonly Offer[], pageSize = 2): Promise<PricingServer> {
  const asked: string[] = [];
  let refusal: { readonly __type: string; readonly message: string } | undefined;
  const server = http.createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const isAsked = request.headers['x-amz-target'] === 'AWSPriceListService.GetProducts';
      const body = JSON.parse(Buffer.concat(parts).toString()) as {
        readonly ServiceCode: string;
        readonly NextToken?: string;
        readonly Filters: readonly { readonly Type: string; readonly Field: string; readonly Value: string }[];
      };
      const filters = body.Filters.map(({ Field, Value }) => `${Field}=${Value}`);
      asked.push([body.ServiceCode, ...filters].join(' '));
      response.setHeader('content-type', 'application/x-amz-json-1.1');
      if (refusal !== undefined || !isAsked) {
        response.statusCode = 400;
        response.end(JSON.stringify(refusal ?? { __type: 'UnknownOperationException' }));
        return;
      }
      const region = body.Filters.find(({ Field }) => /region/i.test(Field))?.Value;
      const own = offers.filter(
        (offer) => offer.service === body.ServiceCode && (offer.region ?? 'us-west-2') === region,
      );
      const from = Number(body.NextToken ?? 0);
      const PriceList = own.slice(from, from + pageSize).map(productText);
      const next = from + pageSize < own.length ? { NextToken: String(from + pageSize) } : {};
      response.end(JSON.stringify({ FormatVersion: 'aws_v1', PriceList, ...next }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    endpoint: `http://127.0.0.1:${port}`,
    asked,
    refuse: (type, message) => void (refusal = { __type: type, message }),
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
