B
f8e5m2_rawJ>À{